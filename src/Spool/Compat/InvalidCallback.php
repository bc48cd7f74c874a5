<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

/**
 * A callback that cannot receive events, or that does not return whether it took them.
 */
final class InvalidCallback extends InvalidArgumentException implements Permanent
{
    private const FORMS = 'function (string $file, ?string $bucket): bool, function (iterable $rows, ?string'
        .' $bucket): bool or function (Headroom\Core\Batch $batch, ?string $bucket): bool';

    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function takesNothing(): self
    {
        return new self('The callback has no parameter, so it cannot receive events. Write '.self::FORMS.'.');
    }

    public static function takes(string $type): self
    {
        return new self("The callback's first parameter is of type {$type}. Write ".self::FORMS.'.');
    }

    public static function returnsNothing(string $type): self
    {
        return new self("The callback's return type is {$type}. It must return true when it took the events, and"
            .' false to get them again: '.self::FORMS.'.');
    }

    /** @param int<0, max> $events */
    public static function answered(string $type, int $events): self
    {
        return new self("The callback returned {$type} for ".TerminalText::count($events, 'event').', so they stay in'
            .' the buffer and come again with the next call. It must return true when it took them, and false'
            .' to get them again.');
    }
}
