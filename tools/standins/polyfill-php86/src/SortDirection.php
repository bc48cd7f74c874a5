<?php

declare(strict_types=1);

enum rection
{
    case Ascending;
    case Descending;
}
