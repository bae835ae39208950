"""What the account pages and the apps to the left read about people and clubs."""
