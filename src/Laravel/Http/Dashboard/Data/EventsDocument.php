<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Monitoring\PeekedEvent;
use Headroom\Spool\Services\SpoolServices;

/**
 * The events that the next flush would deliver.
 *
 * @internal
 */
final readonly class EventsDocument
{
    public const LIMIT = 50;

    private const MAX_LIMIT = 200;

    private const MAX_BYTES = 65_536;

    public function __construct(private SpoolServices $spool, private EventValues $values) {}

    /** @return array{events: list<array<string, mixed>>, more: bool} */
    public function toArray(string $bucket, int $limit): array
    {
        $limit = max(1, min(self::MAX_LIMIT, $limit));
        $events = [];
        $bytes = 0;

        if ($this->spool->isUntouched($bucket)) {
            return ['events' => [], 'more' => false];
        }

        // The state file has the progress; a database with a ledger may hang.
        foreach ($this->spool->bucketTools($bucket)->peek()->events(static fn (): null => null) as $event) {
            if (count($events) === $limit || $bytes >= self::MAX_BYTES) {
                return ['events' => $events, 'more' => true];
            }

            $events[] = $row = $this->row($event);
            $bytes += strlen((string) json_encode($row, JSON_INVALID_UTF8_SUBSTITUTE));
        }

        return ['events' => $events, 'more' => false];
    }

    /** @return array<string, mixed> */
    private function row(PeekedEvent $event): array
    {
        $micros = $event->acceptedAt;

        return [
            'place' => $event->place,
            'id' => $event->id === null ? null : Sentences::shown($event->id),
            'state' => $event->isSealed ? 'sealed' : 'active',
            'accepted_at' => $micros === 0
                ? null
                : gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000),
            'age_seconds' => $micros === 0
                ? null
                : max(0.0, ($this->spool->clock()->micros() - $micros) / 1_000_000),
            'values' => (object) EventValues::cut($this->values->redacted($event->values)),
            'error' => $event->error === null ? null : Sentences::shown($event->error),
        ];
    }
}
