<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Permanent;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * A sink reported something impossible. No event of the batch counts as delivered or dead.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class SinkContractViolated extends RuntimeException implements Permanent, UnableToDeliver
{
    private function __construct(string $message, Throwable $cause)
    {
        parent::__construct(TerminalText::line($message), 0, $cause);
    }

    public static function numbers(PartialBatchFailure $refusal, string $seen, int $count): self
    {
        return new self(
            'The sink threw '.$refusal::class." for {$seen}, and the records of the batch have the numbers 0 to "
                .($count - 1)
                .', so the same events come again under the same ids. Fix the sink; its message: '
                .$refusal->getMessage(),
            $refusal,
        );
    }

    public static function partOfOnce(PartialBatchFailure $refusal): self
    {
        return new self(
            'The sink is an ExactlyOnce and threw '.$refusal::class
                .' for a part of a delivery, which must arrive with the ledger or not at all.'
                .' Throw an InvalidRecords instead, and write nothing; its message: '.$refusal->getMessage(),
            $refusal,
        );
    }
}
