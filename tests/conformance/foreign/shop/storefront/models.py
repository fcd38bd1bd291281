"""What the shop keeps."""

from django.conf import settings
from django.db import models


class Category(models.Model):
    name = models.CharField(max_length=50)


class Product(models.Model):
    class Kind(models.TextChoices):
        BOOK = "book", "Book"
        TOOL = "tool", "Tool"

    name = models.CharField(max_length=100, help_text="What it is called.")
    price = models.DecimalField(max_digits=8, decimal_places=2)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TOOL)
    stock = models.IntegerField(default=0)
    category = models.ForeignKey(Category, related_name="products", on_delete=models.CASCADE)
    added = models.DateTimeField(auto_now_add=True)


class CartLine(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, related_name="cart", on_delete=models.CASCADE
    )
    product = models.ForeignKey(Product, on_delete=models.CASCADE)
    quantity = models.PositiveIntegerField(default=1)

    class Meta:
        unique_together = [("user", "product")]
