<?php

declare(strict_types=1);

namespace Sheets\Contracts;

// Of a package that is not installed: static analysis reads it, the application never does.
interface FromRows
{
    /** @return list<list<string>> */
    public function rows(): array;
}
