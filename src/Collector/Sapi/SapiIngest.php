<?php

declare(strict_types=1);

namespace Headroom\Collector\Sapi;

use Closure;
use Headroom\Collector\DeadLetters;
use Headroom\Collector\Ingest\IngestPipeline;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Core\Clock;
use Headroom\Spool\Buffer;
use Headroom\Spool\UnableToAppend;
use Throwable;

use function sprintf;

/**
 * The intake in a process that serves one request and forgets it: a front controller, or a route of an application. One
 * append for each request, and then its answer.
 *
 * @internal
 */
final readonly class SapiIngest
{
    /** @param Closure(string): void $say what the log is told */
    public function __construct(
        private IngestPipeline $intake,
        private Buffer $buffer,
        private Clock $clock,
        private Closure $say,
        private SapiCounters $counters,
    ) {}

    /** @return IngestResult whose events are in the buffer, or whose answer says that they are not */
    public function take(Request $request): IngestResult
    {
        $numbers = [];
        $decision = $this->taken($request, $numbers);
        $numbers['headroom_http_requests_total{code="'.$decision->answer->status.'"}'] = 1;

        foreach ($decision->refusals as $reason => $events) {
            $numbers['headroom_events_rejected_total{reason="'.$reason.'"}'] = $events;
        }

        $this->counters->add($numbers);

        return $decision;
    }

    /** @param array<string, int> $numbers to be counted, by series */
    private function taken(Request $request, array &$numbers): IngestResult
    {
        try {
            $decision = $this->intake->decide($request, $this->clock->micros());
        } catch (Throwable $e) {
            $this->tell('a request failed', $e);

            return new IngestResult(Problem::response(
                500,
                'internal_error',
                'This request made the collector fail; its log says how. Other requests are not affected.',
            ));
        }

        if ($decision->count === 0) {
            return $decision;
        }

        try {
            $this->buffer->bucket($decision->bucket)->append($decision->lines, $decision->count);
            $numbers['headroom_commits_total'] = 1;
            $numbers['headroom_events_accepted_total'] = $decision->count;

            return $decision;
        } catch (UnableToAppend $e) {
            $numbers['headroom_events_refused_total{reason="'.$e->failure->value.'"}'] = $decision->count;
            ($this->say)("{$decision->count} events could not be taken: {$e->getMessage()}");

            return new IngestResult($this->intake->notAppended($e, $request), refusals: $decision->refusals);
        } catch (Throwable $e) {
            $numbers['headroom_events_refused_total{reason="error"}'] = $decision->count;
            $this->tell("{$decision->count} events could not be taken", $e);

            return new IngestResult(Problem::response(
                500,
                'internal_error',
                'The buffer failed; the log of the collector says how. Nothing of this was accepted.',
            ));
        }
    }

    /** Behind the answer, which does not depend on it. */
    public function keep(?DeadLetters $rejected): void
    {
        if ($rejected === null) {
            return;
        }

        try {
            $this->buffer->bucket($rejected->bucket)->append($rejected->lines, $rejected->count);
        } catch (Throwable $e) {
            $this->tell("{$rejected->count} rejected events could not be kept", $e);
        }
    }

    private function tell(string $what, Throwable $e): void
    {
        ($this->say)(sprintf('%s: %s: %s (%s:%d)', $what, $e::class, $e->getMessage(), $e->getFile(), $e->getLine()));
    }
}
