<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use RuntimeException;

/**
 * A row that cannot be merged with any other. The caller adds the event's position to the message.
 *
 * @internal
 */
final class UnableToMerge extends RuntimeException
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function missing(string $column, string $option): self
    {
        return new self("has no value for column {$column}, which the bucket's '{$option}' names");
    }

    public static function notNumber(string $column, string $type): self
    {
        return new self(
            "has for column {$column}, which the bucket's 'sum' names, a value of the type {$type} that is"
                .' not a number',
        );
    }

    /** @param list<string> $columns */
    public static function nothingToAdd(array $columns): self
    {
        return new self("has none of the columns that the bucket's 'sum' names (".implode(', ', $columns).')');
    }
}
