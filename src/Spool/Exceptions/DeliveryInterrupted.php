<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Retryable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A process ended while a sink had events of the bucket. The next flush delivers them again.
 */
final class DeliveryInterrupted extends RuntimeException implements Retryable, UnableToFlush
{
    private function __construct(string $message, public readonly string $bucket)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function byProcessEnd(string $bucket): self
    {
        return new self(
            "A process ended while it was delivering events of bucket '{$bucket}' (exit(), a fatal error, or a"
                .' signal), so the sink gets the same events again. If it happens again, see'
                .' docs/errors.md#interrupted.',
            $bucket,
        );
    }
}
