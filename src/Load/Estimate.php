<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A figure of a run and how sure it is, by the method of batch means: neighbouring slots of a run depend on each other,
 * so its standard error is that of the means of a few longer pieces.
 *
 * @internal
 *
 * @see https://doi.org/10.1287/opre.30.3.556 Schmeiser 1982: from 10 to 30 batches
 */
final readonly class Estimate
{
    /** A disturbance of a machine lasts parts of a second: shorter batches depend on each other. */
    public const BATCH_SECONDS = 1.0;

    public const FEWEST_BATCHES = 2;

    private const BATCHES = 10;

    private function __construct(public float $value, public float $standardError, public int $degrees) {}

    /**
     * @param list<?float> $slots what each slot of the timeline says; null where nothing was answered in it
     * @param float $width seconds of each
     * @return ?self null when they are too few to show how much they vary
     */
    public static function ofSlots(float $value, array $slots, float $width): ?self
    {
        // A slot may be a moment shorter than its part of a second.
        $batches = min(self::BATCHES, count($slots), (int) floor(count($slots) * $width / self::BATCH_SECONDS + 0.01));
        $means = [];

        for ($i = 0; $i < $batches; $i++) {
            $from = intdiv($i * count($slots), $batches);
            $batch = array_slice($slots, $from, intdiv(($i + 1) * count($slots), $batches) - $from);
            $told = array_filter($batch, is_float(...));

            if ($told !== []) {
                $means[] = array_sum($told) / count($told);
            }
        }

        $count = count($means);

        if ($count < self::FEWEST_BATCHES) {
            return null;
        }

        $mean = array_sum($means) / $count;
        $squares = array_sum(array_map(static fn (float $one): float => ($one - $mean) ** 2, $means));
        $error = sqrt($squares / ($count - 1) / $count);

        // The figure of the whole run need not be the mean of its slots': it varies by the same share.
        return new self($value, $mean > 0.0 ? $error / $mean * $value : $error, $count - 1);
    }

    /**
     * A share of requests, each of which is one of two things.
     *
     * @param list<?float> $slots
     */
    public static function ofShare(float $share, int $requests, array $slots, float $width): self
    {
        // Agresti and Coull: a share of 0 or 1 in a few requests is not sure.
        $adjusted = ($share * $requests + 2) / ($requests + 4);
        $error = sqrt($adjusted * (1 - $adjusted) / ($requests + 4));
        $batches = self::ofSlots($share, $slots, $width);

        return $batches !== null && $batches->standardError > $error
            ? new self($share, $batches->standardError, $batches->degrees)
            : new self($share, $error, $requests + 3);
    }

    /** Half of the interval in which the difference of the two lies (Welch). */
    public function margin(self $other): float
    {
        [$one, $two] = [$this->standardError ** 2, $other->standardError ** 2];

        if ($one + $two <= 0.0) {
            return 0.0;
        }

        $degrees = ($one + $two) ** 2 / ($one ** 2 / $this->degrees + $two ** 2 / $other->degrees);

        return Student::quantile((int) floor($degrees)) * sqrt($one + $two);
    }
}
