<?php

declare(strict_types=1);

namespace Headroom\Collector\Sapi;

use Closure;
use Headroom\Collector\DeadLetters;
use Headroom\Collector\Ingest\AppendOutcome;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Response;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Core\Clock;
use Headroom\Spool\Buffer;
use Throwable;

use function sprintf;

/**
 * Serves one request in a process of the web server: one append, then the response.
 *
 * @internal
 */
final readonly class SapiIngest
{
    /** @param Closure(string): void $log */
    public function __construct(
        private RequestHandler $handler,
        private Buffer $buffer,
        private Clock $clock,
        private Closure $log,
        private SapiCounters $counters,
    ) {}

    /**
     * The events are in the buffer when this returns, unless the response is an error.
     *
     * @return array{Response, ?DeadLetters} dead letters for storeDeadLetters()
     */
    public function handle(Request $request): array
    {
        try {
            $result = $this->handler->ingest($request, $this->clock->micros());
        } catch (Throwable $e) {
            ($this->log)(sprintf(
                'a request failed: %s: %s (%s:%d)',
                $e::class,
                $e->getMessage(),
                $e->getFile(),
                $e->getLine(),
            ));
            $result = new IngestResult(Problem::requestFailed());
        }

        [$response, $counters] = $this->append($result, $request);
        $counters['headroom_http_requests_total{code="'.$response->status.'"}'] = 1;

        foreach ($result->rejections as $reason => $events) {
            $counters['headroom_events_rejected_total{reason="'.$reason.'"}'] = $events;
        }

        $this->counters->add($counters);

        return [$response, $result->deadLetters];
    }

    /** Call it after the response is sent, which does not depend on it. */
    public function storeDeadLetters(?DeadLetters $letters): void
    {
        if ($letters !== null) {
            $series = 'headroom_events_dead_lettered_total';
            $outcome = AppendOutcome::append(
                $this->buffer,
                $letters->bucket,
                $letters->lines,
                $letters->count,
                $series,
            );
            $this->logFailure($outcome);
            $this->counters->add($outcome->counters);
        }
    }

    /** @return array{Response, array<string, int>} the response, and counts by Prometheus series */
    private function append(IngestResult $result, Request $request): array
    {
        if ($result->count === 0) {
            return [$result->response, []];
        }

        $outcome = AppendOutcome::append($this->buffer, $result->bucket, $result->lines, $result->count);
        $this->logFailure($outcome);

        return [$outcome->response($result->response, $this->handler, $request), $outcome->counters];
    }

    private function logFailure(AppendOutcome $outcome): void
    {
        $message = $outcome->logMessage();

        if ($message !== null) {
            ($this->log)($message);
        }
    }
}
