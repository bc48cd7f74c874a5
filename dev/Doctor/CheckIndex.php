<?php

declare(strict_types=1);

namespace Headroom\Dev\Doctor;

use Headroom\Doctor\CheckText;
use Headroom\Doctor\Layer;
use Headroom\Doctor\UnableToReadCheckText;

/**
 * The index of the texts in resources/checks, as docs/checks.md has it.
 */
final readonly class CheckIndex
{
    private const DIRECTORY = __DIR__.'/../../resources/checks';

    private const INTRODUCTION = <<<'MD'
        # What the doctor checks

        This page lists every check of the doctor, with its severity and the fault that it finds.

        `headroom doctor` runs the checks of servers and of the kernel. In an application, `php artisan headroom:doctor`
        runs all of them. `--explain=N5` prints the text of a check, and `--only=N5` runs this check alone.

        The severity is the effect on users if the fault is present: `critical` faults fail or lose requests, `info`
        checks report an opportunity. [Statuses](doctor.md#statuses) tell how sure a finding is.
        MD;

    /** @param list<CheckText> $texts */
    private function __construct(private array $texts) {}

    /** @throws UnableToReadCheckText */
    public static function ofPackage(): self
    {
        $files = array_map(strval(...), (array) glob(self::DIRECTORY.'/*.md'));
        natsort($files);

        return new self(array_map(CheckText::fromFile(...), array_values($files)));
    }

    public function markdown(): string
    {
        return self::INTRODUCTION."\n\n".self::navigation()."\n\n"
            .implode("\n", array_map($this->layer(...), Layer::cases()));
    }

    private static function navigation(): string
    {
        return 'By layer: '.implode(' · ', array_map(
            static fn (Layer $layer): string => "[{$layer->value}](#".strtolower(str_replace(' ', '-', $layer->value))
                .')',
            Layer::cases(),
        ));
    }

    private function layer(Layer $layer): string
    {
        $lines = ["## {$layer->value}", '', '| check | severity | fault |', '|---|---|---|'];

        foreach ($this->texts as $text) {
            if ($text->layer === $layer) {
                $lines[] = "| [{$text->id}](../resources/checks/{$text->id}.md) | {$text->severity->value} |"
                    ." {$text->title} |";
            }
        }

        return implode("\n", $lines)."\n";
    }
}
