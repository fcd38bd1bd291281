"""Commands about the content: made, checked, shown, published."""
