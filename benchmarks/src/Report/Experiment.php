<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

/**
 * The description of an experiment, from benchmarks/NAME/page.php: which figures of results/NAME.json are shown, in
 * which units, tables and charts, and with which sentences.
 */
final readonly class Experiment
{
    /**
     * @param string $compared what was compared with what, a sentence or two
     * @param string $result a Template, a sentence or two
     * @param string $command that repeats it; PART=name runs a part
     * @param list<Drawing> $summary
     * @param array<string, array{string, list<Drawing>}> $sections by id: title and what is in it. Those of an
     *     experiment with none are on the page of all experiments alone
     * @param list<string> $limits what the figures do not say
     */
    public function __construct(
        public string $name,
        public string $title,
        public string $compared,
        public string $result,
        public string $command,
        public string $duration,
        public array $summary,
        public array $sections,
        public array $limits,
    ) {}

    /** @return array<string, self> by name, in the order of the page of all experiments */
    public static function all(): array
    {
        $all = [];

        foreach ([
            'write-buffer', 'durability', 'torture', 'bottleneck', 'load', 'logs', 'stacks', 'queues', 'preload',
            'collector',
        ] as $name) {
            $all[$name] = require dirname(__DIR__, 2)."/{$name}/page.php";
        }

        return $all;
    }

    public function hasPage(): bool
    {
        return $this->sections !== [];
    }
}
