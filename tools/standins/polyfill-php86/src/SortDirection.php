<?php

declare(strict_types=1);

enum SortDirection
{
    case Ascending;
    case Descending;
}
