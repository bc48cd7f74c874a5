<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The stacks that a sampler took of the known page.
 */
final class Tally
{
    /** @var array<string, int> */
    public array $kinds = ['idle' => 0, 'true' => 0, 'impossible' => 0, 'unreadable' => 0];

    /** @var array<string, int> by the innermost function */
    public array $tops = [];

    /** @var array<string, int> by the part of the page */
    public array $parts = [];

    /** @param list<string> $frames the outermost first */
    public function add(array $frames): void
    {
        $kind = $frames === [] ? 'idle' : (KnownPage::canBe($frames) ? 'true' : 'impossible');
        $this->kinds[$kind]++;
        $part = KnownPage::part($frames);

        if ($kind === 'true' && $part !== null) {
            $top = (string) end($frames);
            $this->tops[$top] = ($this->tops[$top] ?? 0) + 1;
            $this->parts[$part] = ($this->parts[$part] ?? 0) + 1;
        }
    }

    public function merge(self $other): void
    {
        foreach (['kinds', 'tops', 'parts'] as $counts) {
            foreach ($other->{$counts} as $name => $count) {
                $this->{$counts}[$name] = ($this->{$counts}[$name] ?? 0) + $count;
            }
        }
    }

    /** Blocks of "0 Class::function /file:line", the innermost first, as phpspy prints them. */
    public static function ofPhpspy(string $output): self
    {
        $tally = new self;

        foreach (explode("\n\n", trim($output)) as $block) {
            preg_match_all('~^\d+ (\S+) ~m', $block, $matches);
            $tally->add(str_replace('<main>', '(main)', array_reverse($matches[1])));
        }

        return $tally;
    }

    public static function ofReader(string $output): self
    {
        $tally = new self;
        $told = json_decode($output, true, flags: JSON_THROW_ON_ERROR);
        [$tally->kinds, $tally->tops, $tally->parts] = [$told['kinds'], $told['tops'], $told['parts']];

        return $tally;
    }
}
