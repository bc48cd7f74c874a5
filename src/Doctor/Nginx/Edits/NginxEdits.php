<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Edits;

use Headroom\Doctor\Edit;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\Lexer;
use Headroom\Doctor\Nginx\Config\SourceSpan;

/**
 * Changes of configurations as edits of lines. If a directive is no longer where it was read, its change is given in
 * words (ManualChange).
 *
 * @internal
 */
final class NginxEdits
{
    /** @var list<LineEdits> in the order of the file */
    private array $regions = [];

    /** @var array<string, ManualChange> */
    private array $byHand = [];

    private function __construct(private readonly string $file, private readonly ?string $text) {}

    /**
     * @param list<NginxChange> $changes
     * @return list<Edit|ManualChange>
     */
    public static function edits(array $changes): array
    {
        $files = [];
        $edits = [];

        $names = [];

        foreach ($changes as $change) {
            $file = $change->at->file ?? '';
            // Links to one file are one file.
            $real = realpath($file);
            $names[$real === false ? $file : $real] ??= $file;
            $files[$names[$real === false ? $file : $real]][] = $change;
        }

        foreach ($files as $file => $own) {
            $text = is_file($file) ? @file_get_contents($file) : false;
            array_push($edits, ...(new self($file, $text === false ? null : $text))->made($own));
        }

        return $edits;
    }

    /**
     * @param list<NginxChange> $changes
     * @return list<Edit|ManualChange>
     */
    private function made(array $changes): array
    {
        usort(
            $changes,
            static fn (NginxChange $a, NginxChange $b): int => [$a->span?->start, $a->span?->end] <=> [
                $b->span?->start,
                $b->span?->end,
            ],
        );
        $known = [];
        $end = 0;

        foreach ($changes as $change) {
            $key = "{$change->span?->start} {$change->span?->end} {$change->with}";

            if (isset($known[$key])) {
                continue;
            }

            $known[$key] = true;

            $span = $this->isUnchanged($change->at) ? $change->span : null;

            if ($this->text === null || $span === null || $span->start < $end) {
                $this->byHand[$change->byHand] = new ManualChange($change->byHand);
            } else {
                $this->add($span, $change, $this->text);
                $end = $span->end;
            }
        }

        $edits = [];

        foreach ($this->regions as $region) {
            array_push($edits, ...$region->edits());
        }

        return [...$edits, ...array_values($this->byHand)];
    }

    /** Changes that touch one line are one change of it. */
    private function add(SourceSpan $span, NginxChange $change, string $text): void
    {
        $last = array_key_last($this->regions);

        if ($last !== null && $this->regions[$last]->touches($span)) {
            $this->regions[$last] = $this->regions[$last]->with($span, $change->with, $change->byHand);
        } else {
            $this->regions[] = LineEdits::around($this->file, $text, $span)
                ->with($span, $change->with, $change->byHand);
        }
    }

    private function isUnchanged(?Directive $directive): bool
    {
        if ($directive?->span === null) {
            return false;
        }

        $seen = substr((string) $this->text, $directive->span->start, $directive->span->end - $directive->span->start);

        try {
            return (new Lexer($directive->file, $seen))->next()->words === [$directive->name, ...$directive->arguments];
        } catch (FactUnavailable) {
            return false;
        }
    }
}
