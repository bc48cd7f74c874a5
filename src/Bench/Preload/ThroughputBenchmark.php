<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Closure;
use Headroom\Bench\PairedComparison;
use Headroom\Bench\Samples;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\Address;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Statuses;
use Headroom\Load\UnableToLoad;
use Headroom\Preload\Page;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Requests per second through nginx: all variants run at the same time and take short turns under load, in another
 * order each round.
 *
 * @internal
 */
final class ThroughputBenchmark
{
    private const WARMING_SECONDS = 0.25;

    private const LONGEST_SECONDS = 60;

    /**
     * @var array<string, array<string, non-empty-list<RequestRateSample>>> by variant and page,
     *     in the order of the rounds
     */
    private array $samples = [];

    /**
     * @param list<PreloadVariant> $variants
     * @param list<Page> $pages
     * @param int<1, max> $workers of each pool
     * @param int<1, max> $concurrency requests at a time
     * @param int<1, max> $cores of the machine
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly array $variants,
        private readonly array $pages,
        private readonly int $workers,
        private readonly int $concurrency,
        private readonly int $cores,
        private readonly int $seed,
        private readonly Closure $log,
        private readonly Clock $clock = new SystemClock,
    ) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     * @throws UnableToLoad
     * @throws UnableToMeasure
     */
    public function run(int $rounds, float $seconds): void
    {
        $random = new Randomizer(new Mt19937($this->seed));
        $stacks = [];

        try {
            foreach ($this->variants as $variant) {
                $stacks[$variant->name] = $this->serve($variant);
            }

            for ($round = 1; $round <= $rounds; $round++) {
                ($this->log)("Requests per second, round {$round} of {$rounds}");

                foreach ($this->pages as $page) {
                    foreach ($random->shuffleArray($this->variants) as $variant) {
                        $this->samples[$variant->name][$page->name()][] = $this->measure(
                            $stacks[$variant->name],
                            $variant,
                            $page,
                            $seconds,
                        );
                    }
                }
            }
        } finally {
            foreach ($stacks as $stack) {
                $stack->stop();
            }
        }
    }

    public function perSecond(string $variant, string $page): Samples
    {
        return new Samples($this->rates($variant, $page));
    }

    public function compared(string $base, string $variant, string $page): PairedComparison
    {
        return PairedComparison::of($this->rates($base, $page), $this->rates($variant, $page));
    }

    public function workerShare(string $variant, string $page): Samples
    {
        return new Samples(array_map(
            static fn (RequestRateSample $sample): float => $sample->workerShare,
            $this->samples[$variant][$page] ?? [],
        ));
    }

    public function clientShare(string $variant, string $page): Samples
    {
        return new Samples(array_map(
            static fn (RequestRateSample $sample): float => $sample->clientShare,
            $this->samples[$variant][$page] ?? [],
        ));
    }

    private function serve(PreloadVariant $variant): WebStack
    {
        return WebStack::start(
            new WebConfig(
                $variant->site->frontController,
                $this->workers,
                $variant->site->env,
                $variant->ini(),
                $variant->site->account->user ?? 'www-data',
            ),
            $this->clock,
        );
    }

    private function measure(WebStack $stack, PreloadVariant $variant, Page $page, float $seconds): RequestRateSample
    {
        $asked = new FastCgiSession($variant->site, Address::parse($stack->fpm()->socket));
        // The client sends the page's cookies back from the first request on.
        $asked->ask($page);
        $headers = [
            ...array_map(
                static fn (string $name, string $value): string => "{$name}: {$value}",
                array_keys($variant->site->headers),
                array_values($variant->site->headers),
            ),
            ...($asked->cookies() === '' ? [] : ["Cookie: {$asked->cookies()}"]),
            ...($page->contentType === '' ? [] : ["Content-Type: {$page->contentType}"]),
        ];
        $source = new SameRequest(new Request(
            $stack->url().$page->target,
            $page->method === '' ? 'GET' : $page->method,
            $page->body === '' ? null : $page->body,
            $headers,
        ));
        $generator = new LoadGenerator($this->clock);
        // Other code checks the answers. A failing page is fast or slow, and counts here as well.
        $warming = Plan::duration(self::WARMING_SECONDS, $this->concurrency, errorStatus: Statuses::none());
        $generator->run($warming, $source);

        $cpu = $this->workersNanos($stack);
        $result = $generator->run(Plan::duration($seconds, $this->concurrency, errorStatus: Statuses::none()), $source);

        // A page that takes longer than a sample gets a fixed number of requests. A sample would abandon them.
        if ($result->requestsPerSecond() === 0.0) {
            $generator->run($this->some(max($this->workers, $this->concurrency)), $source);
            $cpu = $this->workersNanos($stack);
            $result = $generator->run($this->some(2 * $this->concurrency), $source);
        }

        if ($result->requestsPerSecond() === 0.0) {
            throw UnableToMeasure::noAnswer(
                $variant->name,
                $page->name(),
                self::LONGEST_SECONDS,
                $stack->fpm()->logTail(5),
            );
        }

        $all = $result->seconds * $this->cores;

        return new RequestRateSample(
            $result->requestsPerSecond(),
            ($this->workersNanos($stack) - $cpu) / 1e9 / $all,
            $result->cpuShare / $this->cores,
        );
    }

    /** @param int<1, max> $requests */
    private function some(int $requests): Plan
    {
        return Plan::requests(
            $requests,
            $this->concurrency,
            timeout: self::LONGEST_SECONDS,
            errorStatus: Statuses::none(),
        );
    }

    private function workersNanos(WebStack $stack): int
    {
        $worker = new WorkerUsage;

        return array_sum(array_map($worker->cpuNanos(...), $stack->workerPids()));
    }

    /** @return list<float> */
    private function rates(string $variant, string $page): array
    {
        return array_map(
            static fn (RequestRateSample $sample): float => $sample->perSecond,
            $this->samples[$variant][$page] ?? [],
        );
    }
}
