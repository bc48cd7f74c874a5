<?php

declare(strict_types=1);

enum ction
{
    case Ascending;
    case Descending;
}
