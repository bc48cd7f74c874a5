<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The ledger and the log disagree about what is delivered: one of them was restored, copied or emptied.
 * Nothing was sent.
 */
final class LedgerMismatch extends RuntimeException implements Permanent, UnableToFlush
{
    private const FORKED = 'docs/errors.md#forked.';

    /**
     * @param string $log the position that the log says is delivered
     * @param ?string $ledger the position that the ledger says is delivered; null where it has no row
     */
    private function __construct(
        string $message,
        public readonly string $bucket,
        public readonly string $log,
        public readonly ?string $ledger = null,
    ) {
        parent::__construct(TerminalText::line($message));
    }

    public static function noRow(Source $source, Progress $last): self
    {
        $log = $last->position->toString();

        return new self(
            "The ledger has no row for {$source->toString()}, whose log was delivered up to {$log}, so nothing was"
                ." sent. `spool:replay {$source->bucket} --from-now` delivers new events only;"
                .' see docs/errors.md#ledger-empty.',
            $source->bucket,
            $log,
        );
    }

    /** @param string $source node/bucket */
    public static function forked(string $source, string $ledger, string $log): self
    {
        return new self(
            "The disk of {$source} was restored or copied: the ledger says that it is delivered up to {$ledger},"
                ." and this log says {$log}. Nothing was sent; run `spool:new-id`, and see ".self::FORKED,
            basename($source),
            $log,
            $ledger,
        );
    }

    /** Whether a saved failure is that of a fork. The ledger shows forks, and the state file only keeps the failure. */
    public static function isFork(string $reason): bool
    {
        return str_contains($reason, self::FORKED);
    }

    public static function streamSetBack(Source $source, string $ledger, string $log): self
    {
        return new self("The stream of bucket '{$source->bucket}' was restored from an older dump: the ledger says"
            ." that {$source->toString()} is delivered up to {$ledger}, and the stream says {$log}. Nothing was sent;"
            .' see docs/errors.md#stream-restored.', $source->bucket, $log, $ledger);
    }
}
