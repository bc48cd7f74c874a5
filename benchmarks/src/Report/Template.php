<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * Text with figures in it. `{pointer|unit}` is replaced by the figure in this unit: one of Unit, or `text`, `nanos`
 * (nanoseconds), `megabytes` (of bytes), `length` (of a list), `gain` (a ratio as a difference in percent).
 * `{pointer|unit|>=15000}` is a figure with a target. In a cell, text behind a line feed is small.
 */
final readonly class Template
{
    private const PLACE = '/\{([^{}|]*)\|([a-z_]+)(?:\|(>=|<=|=)([0-9.]+))?\}/';

    public function __construct(private string $text) {}

    /** @throws UnableToReport */
    public function words(Figures $figures): string
    {
        return (string) preg_replace_callback(
            self::PLACE,
            static fn (array $place): string => $place[2] === 'text'
                ? $figures->text($place[1])
                : self::quantity($figures->at($place[1]), $place[2])->words(self::unit($place[2])),
            $this->text,
        );
    }

    /** @throws UnableToReport */
    public function cell(Figures $figures): Cell
    {
        if (! $this->isMeasured($figures)) {
            return new Cell('not measured', '', Tone::Quiet);
        }

        if (preg_match('/\A(?:'.trim(self::PLACE, '/').')\z/', $this->text, $place) === 1 && $place[2] !== 'text') {
            return self::figure($figures->at($place[1]), $place[2], $place[3] ?? '', (float) ($place[4] ?? 0));
        }

        // A cell shows no code.
        [$text, $note] = [...explode("\n", str_replace('`', '', $this->words($figures)), 2), ''];

        return new Cell($text, $note, $this->tone($figures));
    }

    /**
     * Whether each figure has a value, which a sentence needs.
     *
     * @throws UnableToReport
     */
    public function isComplete(Figures $figures): bool
    {
        preg_match_all(self::PLACE, $this->text, $places);

        foreach ($places[1] as $pointer) {
            if ($figures->at($pointer)->raw() === null) {
                return false;
            }
        }

        return true;
    }

    /** @throws UnableToReport */
    public function isMeasured(Figures $figures): bool
    {
        preg_match_all(self::PLACE, $this->text, $places);

        foreach ($places[1] as $pointer) {
            if (! $figures->at($pointer)->isMeasured) {
                return false;
            }
        }

        return true;
    }

    public static function unit(string $name): Unit
    {
        return match ($name) {
            'nanos' => Unit::Micros,
            'megabytes', 'length' => Unit::Count,
            'gain' => Unit::Change,
            default => Unit::from($name),
        };
    }

    private static function quantity(Figures $figures, string $unit): Quantity
    {
        if ($unit === 'length') {
            return Quantity::count(count($figures->entries()));
        }

        $quantity = Quantity::of($figures);

        return match ($unit) {
            'nanos' => $quantity->times(0.001),
            'megabytes' => $quantity->times(0.000_001),
            'gain' => $quantity->change(),
            default => $quantity,
        };
    }

    private static function figure(Figures $figures, string $name, string $rule, float $target): Cell
    {
        $unit = self::unit($name);
        $quantity = self::quantity($figures, $name);
        $tone = match (true) {
            $quantity->value === null, ! $quantity->isSeen => Tone::Quiet,
            $rule === '' => Tone::Plain,
            default => self::isMet($quantity->value, $rule, $target) ? Tone::Good : Tone::Alert,
        };
        $aim = match ($rule) {
            '>=' => 'target: at least '.$unit->words($target),
            '<=' => 'target: at most '.$unit->words($target),
            default => '',
        };

        return new Cell(
            $quantity->words($unit),
            implode(
                '; ',
                array_filter([$quantity->spread($unit), $aim], static fn (string $part): bool => $part !== ''),
            ),
            $tone,
        );
    }

    /** @throws UnableToReport */
    public function tone(Figures $figures): Tone
    {
        preg_match_all(self::PLACE, $this->text, $places, PREG_SET_ORDER);

        foreach ($places as $place) {
            $value = isset($place[4]) ? self::quantity($figures->at($place[1]), $place[2])->value : null;

            if ($value !== null && ! self::isMet($value, $place[3], (float) $place[4])) {
                return Tone::Alert;
            }
        }

        return Tone::Plain;
    }

    private static function isMet(float $value, string $rule, float $target): bool
    {
        return match ($rule) {
            '>=' => $value >= $target,
            '<=' => $value <= $target,
            default => $value === $target,
        };
    }
}
