<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Retryable;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * The insert failed for a reason that may pass, such as a lost connection.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToInsert extends RuntimeException implements NamesCause, Retryable
{
    private const NEXT_STEP = 'They stay in the buffer, and the next flush tries again.';

    private function __construct(private readonly string $cause, string $nextStep = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$nextStep}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    public static function because(string $table, Throwable $e): self
    {
        return new self(
            "Rows for table {$table} could not be inserted: ".DatabaseError::reason($e).'.',
            self::NEXT_STEP,
        );
    }

    public static function directly(string $table, Throwable $e): self
    {
        return new self("Rows for table {$table} could not be inserted: ".DatabaseError::reason($e).'.');
    }

    public static function commitUnknown(string $table, Throwable $e): self
    {
        return new self(
            "Rows for table {$table} were inserted, but the commit failed: ".DatabaseError::reason($e)
                .'. The rows are stored if only the reply was lost.',
        );
    }

    public static function outOfStreams(string $table): self
    {
        return new self(
            "Rows for table {$table} could not be inserted: PHP could not open a memory stream for a binary value.",
            self::NEXT_STEP,
        );
    }
}
