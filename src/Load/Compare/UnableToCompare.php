<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

use Headroom\Core\Permanent;
use RuntimeException;

final class UnableToCompare extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function unreadable(string $path): self
    {
        return new self("'{$path}' cannot be read. Name a file that load --output=FILE.json wrote.");
    }

    public static function noResult(string $path, string $missing): self
    {
        return new self(
            "'{$path}' is not a result of load: {$missing}. Name a file that load --output=FILE.json wrote.",
        );
    }

    public static function sameRun(): self
    {
        return new self(
            'Both files contain the same run. Run load before and after the change, with two different names'
                .' for --output.',
        );
    }
}
