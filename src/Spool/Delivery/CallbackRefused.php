<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Retryable;
use Headroom\Sink\Delivery;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class CallbackRefused extends RuntimeException implements NamesCause, Retryable
{
    private function __construct(private readonly string $cause, string $outlook = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$outlook}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    public static function returnedFalse(Delivery $delivery): self
    {
        return new self(
            'The callback returned false for '.TerminalText::count(count($delivery->batch), 'event')
                ." from {$delivery->from->toString()} on.",
            'They stay in the buffer, and the next call of flush() passes them again.',
        );
    }

    public static function noSink(string $bucket): self
    {
        return new self("Bucket '{$bucket}' has no sink under spool.buckets. Only FileSystemBuffer::flush() with a"
            .' callback delivers its events.');
    }
}
