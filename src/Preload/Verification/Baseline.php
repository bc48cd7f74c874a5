<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Preload\Fpm\PageResponse;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Page;

/**
 * How a page answers without preloading: asked again whenever an answer does not fit, since pages change by themselves.
 *
 * @internal
 */
final class Baseline
{
    /** An anonymous class that was not linked fails from the second request on. */
    public const TIMES = 3;

    private ?Template $template;

    /** @var array<int, true> */
    private array $statuses;

    /** @var list<array<string, string>> */
    private array $headers;

    /** @var array<string, true> */
    private array $logged;

    private bool $ends = false;

    private function __construct(
        public readonly Page $page,
        private readonly PrivateFpm $plain,
        public readonly PageResponse $first,
    ) {
        $this->template = Template::of($first->body);
        $this->statuses = [$first->status => true];
        $this->headers = [$first->headers];
        $this->logged = array_fill_keys($first->logged, true);
        $this->ends = $first->endsWorker;
    }

    /** @throws UnableToAsk */
    public static function of(Page $page, PrivateFpm $plain): self
    {
        $expected = new self($page, $plain, $plain->askToItsEnd($page));

        for ($i = 1; $i < self::TIMES; $i++) {
            $expected->askAgain();
        }

        return $expected;
    }

    /** Whether its answers have enough in common that their bodies can be compared. */
    public function isStable(): bool
    {
        return $this->template !== null;
    }

    /**
     * @return ?string how the page that the preloaded PHP serves departs from it, seen twice; null when it does not
     */
    public function departure(PrivateFpm $preloaded): ?string
    {
        for ($i = 0; $i < self::TIMES; $i++) {
            if ($this->departureOnce($preloaded) === null) {
                continue;
            }

            // It may be the clock or the data: what it does without preloading by now is what counts.
            $this->askAgain();
            $this->askAgain();
            $departure = $this->departureOnce($preloaded);

            if ($departure !== null) {
                return $departure;
            }
        }

        return null;
    }

    private function departureOnce(PrivateFpm $preloaded): ?string
    {
        try {
            $reply = $preloaded->askToItsEnd($this->page);
        } catch (UnableToAsk $e) {
            return "it gives no answer: {$e->getMessage()} ".implode(' ', $preloaded->newLines());
        }

        $errors = array_values(array_diff($reply->logged, array_keys($this->logged)));

        return match (true) {
            ! isset($this->statuses[$reply->status]) => "it answers {$reply->status} instead of {$this->first->status}"
                .($errors === [] ? '' : ": {$errors[0]}"),
            ($header = $this->otherHeader($reply)) !== null => "its header {$header}",
            $this->template?->fits($reply->body)
                === false => "its body differs: {$this->template->departure($reply->body)}",
            $errors !== [] => "it logs {$errors[0]}",
            $reply->endsWorker && ! $this->ends => 'the process that served it ends after the answer',
            default => null,
        };
    }

    /** @throws UnableToAsk */
    private function askAgain(): void
    {
        $reply = $this->plain->askToItsEnd($this->page);
        $this->template = $this->template?->with($reply->body);
        $this->statuses[$reply->status] = true;
        $this->headers[] = $reply->headers;
        $this->logged += array_fill_keys($reply->logged, true);
        $this->ends = $this->ends || $reply->endsWorker;
    }

    /** @return ?string one that is the same in all answers without the list, and another here */
    private function otherHeader(PageResponse $reply): ?string
    {
        $names = array_keys(array_merge($reply->headers, ...$this->headers));

        foreach ($names as $name) {
            $usual = array_unique(
                array_map(static fn (array $headers): ?string => $headers[$name] ?? null, $this->headers),
                SORT_REGULAR,
            );
            $seen = $reply->headers[$name] ?? null;

            if (count($usual) === 1 && $usual[0] !== $seen) {
                return "{$name} is ".($seen === null ? 'not there' : "'{$seen}'").' instead of '
                    .($usual[0] === null ? 'not there' : "'{$usual[0]}'");
            }
        }

        return null;
    }
}
