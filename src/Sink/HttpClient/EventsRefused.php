<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\PartialBatchFailure;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server rejected some events by number and stored all others.
 *
 * @internal catch Headroom\Sink\PartialBatchFailure
 */
final class EventsRefused extends RuntimeException implements PartialBatchFailure
{
    /** @param non-empty-array<int<0, max>, string> $refused */
    private function __construct(string $message, private readonly array $refused)
    {
        parent::__construct($message);
    }

    /**
     * @param non-empty-array<int<0, max>, int> $statuses by the record's index in the batch
     * @param int $of number of events in the batch
     */
    public static function by(Endpoint $to, array $statuses, int $of): self
    {
        ksort($statuses);
        $refused = array_map(
            static fn (int $status): string
                => "{$to->origin} answered with HTTP {$status} for this event. Check the log of that server.",
            $statuses,
        );

        return new self(
            "{$to->origin} refused ".TerminalText::count(count($refused), 'event')." of {$of}, the first with HTTP "
                .reset($statuses).'.',
            $refused,
        );
    }

    public function refused(): array
    {
        return $this->refused;
    }
}
