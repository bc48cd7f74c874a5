<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Fpm\PageResponse;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Page;

/**
 * How a page answers without preloading. It is requested again whenever an answer with preloading deviates, because the
 * data and the clock change pages, too.
 *
 * @internal
 */
final class Baseline
{
    /** An anonymous class that PHP could not link when it preloaded fails from the second request on. */
    public const TIMES = 3;

    private ?PageTemplate $template;

    /** @var array<int, true> */
    private array $statuses;

    /** @var list<array<string, string>> */
    private array $headers;

    /** @var array<string, true> */
    private array $logged;

    private bool $endsWorker = false;

    private function __construct(
        public readonly Page $page,
        private readonly PrivateFpm $plain,
        public readonly PageResponse $first,
    ) {
        $this->template = PageTemplate::of($first->body);
        $this->statuses = [$first->status => true];
        $this->headers = [$first->headers];
        $this->logged = array_fill_keys($first->logged, true);
        $this->endsWorker = $first->endsWorker;
    }

    /** @throws UnableToQueryPool */
    public static function of(Page $page, PrivateFpm $plain): self
    {
        $baseline = new self($page, $plain, $plain->askToItsEnd($page));

        for ($i = 1; $i < self::TIMES; $i++) {
            $baseline->askAgain();
        }

        return $baseline;
    }

    /** Whether the answers of the page have enough in common that their bodies can be compared. */
    public function isStable(): bool
    {
        return $this->template !== null;
    }

    /**
     * @return ?string how the page differs with preloading, seen twice; null if it does not
     */
    public function difference(PrivateFpm $preloaded): ?string
    {
        for ($i = 0; $i < self::TIMES; $i++) {
            if ($this->differenceOnce($preloaded) === null) {
                continue;
            }

            // The clock or the data may have changed the page. Compare with what it answers now without preloading.
            $this->askAgain();
            $this->askAgain();
            $difference = $this->differenceOnce($preloaded);

            if ($difference !== null) {
                return $difference;
            }
        }

        return null;
    }

    private function differenceOnce(PrivateFpm $preloaded): ?string
    {
        try {
            $reply = $preloaded->askToItsEnd($this->page);
        } catch (UnableToQueryPool $e) {
            return "it does not answer: {$e->getMessage()} ".implode(' ', $preloaded->newLines());
        }

        $errors = array_values(array_diff($reply->logged, array_keys($this->logged)));

        return match (true) {
            ! isset($this->statuses[$reply->status]) => "it answers {$reply->status} instead of {$this->first->status}"
                .($errors === [] ? '' : ": {$errors[0]}"),
            ($header = $this->changedHeader($reply)) !== null => "its header {$header}",
            $this->template?->fits($reply->body)
                === false => "its body differs: {$this->template->difference($reply->body)}",
            $errors !== [] => "it logs {$errors[0]}",
            $reply->endsWorker && ! $this->endsWorker => 'the worker that served it exits after the answer',
            default => null,
        };
    }

    /** @throws UnableToQueryPool */
    private function askAgain(): void
    {
        $reply = $this->plain->askToItsEnd($this->page);
        $this->template = $this->template?->with($reply->body);
        $this->statuses[$reply->status] = true;
        $this->headers[] = $reply->headers;
        $this->logged += array_fill_keys($reply->logged, true);
        $this->endsWorker = $this->endsWorker || $reply->endsWorker;
    }

    /** @return ?string a header that all answers without the list agree on and this one differs in */
    private function changedHeader(PageResponse $reply): ?string
    {
        $names = array_keys(array_merge($reply->headers, ...$this->headers));

        foreach ($names as $name) {
            $usual = array_unique(
                array_map(static fn (array $headers): ?string => $headers[$name] ?? null, $this->headers),
                SORT_REGULAR,
            );
            $seen = $reply->headers[$name] ?? null;

            if (count($usual) === 1 && $usual[0] !== $seen) {
                return "{$name} is ".($seen === null ? 'missing' : "'{$seen}'").' instead of '
                    .($usual[0] === null ? 'missing' : "'{$usual[0]}'");
            }
        }

        return null;
    }
}
