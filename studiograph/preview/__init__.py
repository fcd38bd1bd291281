"""What an owner sees during `studiograph preview`: each save in words, and a page. Never served."""
