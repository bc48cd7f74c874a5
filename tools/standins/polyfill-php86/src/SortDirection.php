<?php

declare(strict_types=1);

enum rtDirection
{
    case Ascending;
    case Descending;
}
