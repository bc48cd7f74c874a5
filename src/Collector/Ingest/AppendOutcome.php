<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Response;
use Headroom\Spool\Buffer;
use Headroom\Spool\UnableToAppend;
use Throwable;

use function sprintf;

/**
 * Appends encoded events to the buffer, and holds the outcome for the metrics, the log and the clients.
 *
 * @internal
 */
final readonly class AppendOutcome
{
    /** @param array<string, int> $counters by Prometheus series */
    private function __construct(public ?Throwable $failure, public array $counters, private int $count) {}

    /**
     * @param int<1, max> $count number of events
     * @param string $series counter of events that are appended
     */
    public static function append(
        Buffer $buffer,
        string $bucket,
        string $lines,
        int $count,
        string $series = 'headroom_events_accepted_total',
    ): self {
        try {
            $buffer->bucket($bucket)->append($lines, $count);

            return new self(null, ['headroom_commits_total' => 1, $series => $count], $count);
        } catch (UnableToAppend $e) {
            return new self($e, ['headroom_events_refused_total{reason="'.$e->failure->value.'"}' => $count], $count);
        } catch (Throwable $e) {
            return new self($e, ['headroom_events_refused_total{reason="error"}' => $count], $count);
        }
    }

    /** @return ?string null if the events are in the buffer */
    public function logMessage(): ?string
    {
        return match (true) {
            $this->failure === null => null,
            $this->failure instanceof UnableToAppend =>
                "cannot store {$this->count} events: {$this->failure->getMessage()}",
            default => sprintf(
                'cannot store %d events: %s: %s (%s:%d)',
                $this->count,
                $this->failure::class,
                $this->failure->getMessage(),
                $this->failure->getFile(),
                $this->failure->getLine(),
            ),
        };
    }

    /** @param Response $accepted the response if the events are in the buffer */
    public function response(Response $accepted, RequestHandler $handler, Request $request): Response
    {
        return match (true) {
            $this->failure === null => $accepted,
            $this->failure instanceof UnableToAppend => $handler->appendFailed($this->failure, $request),
            default => Problem::response(
                500,
                'internal_error',
                'The buffer failed; the log of the collector has the error. None of these events is stored.',
            ),
        };
    }
}
