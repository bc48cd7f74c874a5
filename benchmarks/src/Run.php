<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Closure;
use Headroom\Bench\Machine;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Pages;
use Headroom\Benchmarks\Report\TextSection;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

/**
 * A run of an experiment. QUICK=1 makes it short, PART=a,b chooses parts. It saves the results, and ends with the page,
 * its first section as text, and a line `RESULT {json}`.
 */
final readonly class Run
{
    /**
     * @param list<string> $parts in the order of the results file
     * @param list<string> $onRequest parts that run only when PART names them
     * @param list<string> $chosen
     * @param array<string, mixed> $machine
     */
    private function __construct(
        private string $experiment,
        private array $parts,
        private array $onRequest,
        public bool $isQuick,
        public array $chosen,
        public array $machine,
    ) {}

    /**
     * @param list<string> $parts
     * @param list<string> $onRequest
     */
    public static function of(string $experiment, array $parts = [], array $onRequest = []): self
    {
        Signals::endTidily();
        $chosen = array_values(array_filter(
            array_map(trim(...), explode(',', (string) getenv('PART'))),
            static fn (string $part): bool => $part !== '',
        ));
        $unknown = $parts === [] ? [] : array_diff($chosen, $parts, $onRequest);
        $unknown === [] || self::refuse(
            'PART has '.implode(', ', $unknown).'. Parts are '.implode(', ', [...$parts, ...$onRequest]).'.',
        );
        $git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
        $git->run();

        return new self(
            $experiment,
            $parts,
            $onRequest,
            ! in_array(getenv('QUICK'), [false, '', '0'], true),
            $chosen,
            Machine::describe(trim($git->getOutput()), new SystemClock),
        );
    }

    public static function refuse(string $reason): never
    {
        fwrite(STDERR, "{$reason}\n");
        exit(2);
    }

    public static function log(string $line): void
    {
        fwrite(STDERR, "{$line}\n");
    }

    /**
     * @param array<string, Closure(): array{
     *     figures: mixed,
     *     result: array<string, mixed>,
     *     machine?: array<string, mixed>,
     * }> $parts in any order
     * @param list<string> $default parts that run when PART names none
     * @param Closure(): array<string, mixed> $more figures for the RESULT line alone
     */
    public function measure(array $parts, ?array $default = null, ?Closure $more = null): void
    {
        $results = Script::orEnd(
            fn (): Results => Results::of($this->experiment, $this->parts, $this->isQuick, $this->onRequest),
        );
        $chosen = $this->chosen === [] ? $default ?? $this->parts : $this->chosen;

        foreach (array_intersect_key($parts, array_flip($chosen)) as $name => $part) {
            self::log("== {$name}");
            $measured = $part();
            $machine = [...$this->machine, ...($measured['machine'] ?? [])];
            unset($measured['machine']);
            $results->add($name, $measured, $machine);
        }

        $this->end([...$results->line(), ...($more === null ? [] : $more())]);
    }

    /**
     * Of an experiment in one piece.
     *
     * @param array<string, mixed> $figures
     * @param array<string, mixed> $result
     */
    public function save(array $figures, array $result): void
    {
        Results::write(Results::path($this->experiment, $this->isQuick), [
            'experiment' => $this->experiment,
            'quick' => $this->isQuick,
            'machine' => $this->machine,
            ...$figures,
            'result' => $result,
        ]);
        $this->end([$this->experiment => $result]);
    }

    /** @param array<string, mixed> $line */
    private function end(array $line): void
    {
        $pages = new Pages(dirname(__DIR__).'/results', $this->isQuick);
        echo Script::orEnd(fn (): string => TextSection::of($pages->page($this->experiment)));
        Experiment::all()[$this->experiment]->hasPage()
            && self::log('Page: '.Script::orEnd(fn (): string => $pages->write($this->experiment)));
        echo 'RESULT ', json_encode($line, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
    }
}
