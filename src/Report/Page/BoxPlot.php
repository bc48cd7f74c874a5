<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A row of a BoxChart: from quartile to quartile, a line at the median, whiskers to the least and the most.
 *
 * @internal
 */
final readonly class BoxPlot
{
    /**
     * @param list<int|float> $samples
     * @param ?array{int|float, int|float, int|float, int|float, int|float} $five least, lower quartile, median,
     *     upper quartile, most
     */
    private function __construct(
        public string $name,
        public array $samples,
        public ?array $five,
        public string $words,
        public ?Reference $reference,
        public ?int $color,
    ) {}

    /**
     * Each sample is a point over the box. A quartile lies between the samples next to it (R's type 7, as NumPy and
     * spreadsheets have it).
     *
     * @param non-empty-list<int|float> $samples in any order
     * @param ?int $color 0 to 7, or 8, which is grey; null takes its turn
     * @throws InvalidPage
     */
    public static function ofSamples(
        string $name,
        array $samples,
        ?Reference $reference = null,
        ?int $color = null,
    ): self {
        self::check($name, $color);
        Assert::finite($samples, "box '{$name}'");
        $sorted = $samples;
        sort($sorted);
        $quantile = static function (float $part) use ($sorted): float {
            $place = $part * (count($sorted) - 1);
            [$low, $high] = [$sorted[(int) floor($place)], $sorted[(int) ceil($place)]];

            return $low + ($place - floor($place)) * ($high - $low);
        };

        return new self(
            $name,
            $samples,
            [$sorted[0], $quantile(0.25), $quantile(0.5), $quantile(0.75), $sorted[count($sorted) - 1]],
            '',
            $reference,
            $color,
        );
    }

    /**
     * Where only these are known.
     *
     * @param ?int $color 0 to 7, or 8, which is grey; null takes its turn
     * @throws InvalidPage
     */
    public static function ofFive(
        string $name,
        int|float $least,
        int|float $lower,
        int|float $median,
        int|float $upper,
        int|float $most,
        ?Reference $reference = null,
        ?int $color = null,
    ): self {
        self::check($name, $color);
        Assert::ascending([$least, $lower, $median, $upper, $most], "box '{$name}'");

        return new self($name, [], [$least, $lower, $median, $upper, $most], '', $reference, $color);
    }

    /**
     * A row without a box, which gives the reason.
     *
     * @param string $why "not measured", "no run was valid"
     * @throws InvalidPage
     */
    public static function missing(string $name, string $why, ?Reference $reference = null): self
    {
        self::check($name, null);
        Assert::text($why, "reason of the missing box '{$name}'");

        return new self($name, [], null, $why, $reference, null);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'name' => $this->name,
            'samples' => $this->samples,
            'five' => $this->five,
            'words' => $this->words,
            'reference' => $this->reference?->toArray(),
            'color' => $this->color,
        ];
    }

    /** The median and its quartiles. */
    public function summary(Unit $unit): string
    {
        $words = $this->five === null
            ? $this->words
            : "{$unit->words($this->five[2])}, quartiles {$unit->words($this->five[1])} to"
                ." {$unit->words($this->five[3])}";

        return "{$this->name} {$words}"
            .($this->reference === null ? '' : " ({$this->reference->label}: {$unit->words($this->reference->value)})");
    }

    /** @throws InvalidPage */
    private static function check(string $name, ?int $color): void
    {
        Assert::text($name, 'name of a box');
        Assert::color($color);
    }
}
