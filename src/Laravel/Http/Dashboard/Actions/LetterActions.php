<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Laravel\Http\Dashboard\Data\DeadLetterRow;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Laravel\Text\Sentences;
use Headroom\Report\WebPage;
use Headroom\Spool\DeadLetters\DeadLetterQueue;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Illuminate\Http\Response;
use Symfony\Component\HttpFoundation\StreamedResponse;

/**
 * Retries, forgets and exports dead letters. A request works for a limited time, and the next one continues.
 *
 * @internal
 */
final readonly class LetterActions
{
    /** Letters that one lease of the bucket takes. A flush waits meanwhile. */
    private const CHUNK = 200;

    private const NANOS = 2_000_000_000;

    private const EXPORT_SECONDS = 600;

    public function __construct(private SpoolServices $spool, private ActionLog $log) {}

    public function retry(LetterSelection $selection): Response
    {
        return $this->work(
            $selection,
            'retry',
            static fn (DeadLetterQueue $queue, array $positions): int => $queue->retry($positions),
            static fn (int $done): string => TerminalText::count($done, 'event')
                .' back in the buffer. The next flush delivers '.($done === 1 ? 'it.' : 'them.'),
        );
    }

    public function forget(LetterSelection $selection): Response
    {
        return $this->work(
            $selection,
            'forget',
            static fn (DeadLetterQueue $queue, array $positions): int => $queue->forget($positions),
            static fn (int $done): string => TerminalText::count($done, 'dead letter').' deleted.',
        );
    }

    /** One JSON object a line, redacted as the page is. `spool:failed:export` prints whole events. */
    public function export(LetterSelection $selection, DeadLetterRow $row): StreamedResponse
    {
        return new StreamedResponse(
            fn () => PhpRestrictions::within(fn () => $this->print($selection, $row)),
            200,
            [
                'Content-Type' => 'application/x-ndjson',
                'Content-Disposition' => "attachment; filename=\"dead-letters-{$selection->bucket}.ndjson\"",
                'Cache-Control' => 'no-store',
                // A proxy need not keep the whole answer.
                'X-Accel-Buffering' => 'no',
                ...WebPage::headers(),
            ],
        );
    }

    private function print(LetterSelection $selection, DeadLetterRow $row): void
    {
        PhpRestrictions::call('set_time_limit', self::EXPORT_SECONDS);
        $queue = $this->queue($selection);
        $count = 0;

        try {
            foreach ($queue->at($selection->select($queue->positions())) as $letter) {
                if ($selection->includes($letter)) {
                    echo JsonResponse::encode($row->toArray($letter, false)), "\n";
                    $count++;
                }
            }
        } catch (HeadroomException $e) {
            echo JsonResponse::encode(['error' => Sentences::withCommands($e->getMessage())]), "\n";
        } finally {
            $this->log->record('export', $selection->bucket, $count);
        }
    }

    /**
     * @param Closure(DeadLetterQueue, list<Position>): int $do
     * @param Closure(int): string $words
     */
    private function work(LetterSelection $selection, string $action, Closure $do, Closure $words): Response
    {
        $clock = $this->spool->clock();
        $until = $clock->monotonicNanos() + self::NANOS;
        $queue = $this->queue($selection);
        $positions = $selection->select($queue->positions());
        $newest = end($positions);
        $done = 0;
        $at = 0;

        try {
            while ($at < count($positions) && $clock->monotonicNanos() < $until) {
                $chunk = array_slice($positions, $at, self::CHUNK);
                $wanted = $this->wanted($queue, $selection, $chunk);
                $done += $wanted === [] ? 0 : $do($queue, $wanted);
                $at += count($chunk);
            }
        } finally {
            $this->log->record($action, $selection->bucket, $done);
        }

        $remaining = count($positions) - $at;

        return JsonResponse::of([
            'done' => $done,
            'remaining' => $remaining,
            'message' => $words($done),
            'next' => $remaining === 0 || $newest === false
                ? null
                : $selection->cursor($positions[$at - 1] ?? '', $newest),
        ]);
    }

    /**
     * @param list<string> $chunk
     * @return list<Position>
     */
    private function wanted(DeadLetterQueue $queue, LetterSelection $selection, array $chunk): array
    {
        if ($selection->kind === null) {
            return array_map(Position::fromString(...), $chunk);
        }

        $wanted = [];

        foreach ($queue->at($chunk) as $letter) {
            if ($selection->includes($letter)) {
                $wanted[] = $letter->position;
            }
        }

        return $wanted;
    }

    private function queue(LetterSelection $selection): DeadLetterQueue
    {
        return $this->spool->bucketTools($selection->bucket)->letters();
    }
}
