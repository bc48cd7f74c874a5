<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Retryable;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToInsert extends RuntimeException implements NamesCause, Retryable
{
    private const OUTLOOK = 'They stay in the buffer, and the next flush tries again.';

    private function __construct(private readonly string $cause, string $outlook = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$outlook}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    public static function because(string $table, Throwable $e): self
    {
        return new self("Rows for table {$table} could not be inserted: ".DatabaseError::reason($e).'.', self::OUTLOOK);
    }

    public static function directly(string $table, Throwable $e): self
    {
        return new self("Rows for table {$table} could not be inserted: ".DatabaseError::reason($e).'.');
    }

    public static function commitUnknown(string $table, Throwable $e): self
    {
        return new self("Rows for table {$table} were inserted, but the commit failed: ".DatabaseError::reason($e).'. If it was the reply that got lost, they are there.');
    }

    public static function outOfStreams(string $table): self
    {
        return new self("Rows for table {$table} could not be inserted: PHP opened no stream in memory for a value of bytes.", self::OUTLOOK);
    }
}
