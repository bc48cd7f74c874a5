<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * What a run of an experiment wrote; nothing, where nobody ran it.
 */
final readonly class Experiment
{
    /** @param array<string, Part> $parts those that were measured, by name */
    private function __construct(public string $name, public string $file, public bool $isQuick, public array $parts) {}

    /** @throws UnableToReadResults when there is a file, and it is none of this experiment */
    public static function read(string $directory, string $name, bool $isQuick): self
    {
        $file = $name.($isQuick ? '-quick' : '').'.json';

        return new self(
            $name,
            $file,
            $isQuick,
            is_file("{$directory}/{$file}") ? self::parts(ResultsText::read("{$directory}/{$file}", $name)) : [],
        );
    }

    public function part(string $name): ?Part
    {
        return $this->parts[$name] ?? null;
    }

    /** The one of an experiment that has no parts. */
    public function whole(): ?Part
    {
        return $this->part('');
    }

    /** What makes it. */
    public function command(string $part = ''): string
    {
        return ($this->isQuick ? 'QUICK=1 ' : '').($part === '' ? '' : "PART={$part} ")."make bench-{$this->name}";
    }

    /** Of its own page. */
    public function page(): string
    {
        return preg_replace('/\.json\z/', '.html', $this->file) ?? '';
    }

    /** @return array<string, Part> */
    private static function parts(Piece $file): array
    {
        $parts = $file->find('parts');

        if ($parts === null) {
            return ['' => new Part('', Machine::of($file->at('machine')), $file, $file->at('result'))];
        }

        $all = [];

        foreach ($parts->all() as $name => $part) {
            $all[$name] = new Part($name, Machine::of($part->at('machine')), $part->at('figures'), $part->at('result'));
        }

        return $all;
    }
}
