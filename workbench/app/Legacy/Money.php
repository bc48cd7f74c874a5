<?php

declare(strict_types=1);

namespace Workbench\App\Legacy;

use Workbench\App\Pricing\Amount;

/**
 * The class that Workbench\App\Pricing\Amount is another name of.
 */
final readonly class Money
{
    public function __construct(public int $cents) {}

    public function text(): string
    {
        return number_format($this->cents / 100, 2).' EUR';
    }
}

// Runs when the file is loaded. opcache_compile_file() declares the class and leaves this out.
if (! class_exists(Amount::class, false)) {
    class_alias(Money::class, Amount::class);
}
