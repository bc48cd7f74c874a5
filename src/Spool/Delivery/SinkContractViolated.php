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
 * A sink has said what can not be. Nothing is taken for delivered, and nothing is buried.
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
        return new self('The sink says with '.$refusal::class." that it refused {$seen}, of a batch whose records are numbered from 0 to ".($count - 1).'. So it is not known what has arrived: the same range comes again, under the same id. Mend the sink; it said: '.$refusal->getMessage(), $refusal);
    }

    public static function partOfOnce(PartialBatchFailure $refusal): self
    {
        return new self('The sink is an ExactlyOnce, and says with '.$refusal::class.' that it refused a part of a delivery: the rows and the ledger arrive together or not at all. It should throw RecordsRefused, and nothing may have arrived. Mend the sink; it said: '.$refusal->getMessage(), $refusal);
    }
}
