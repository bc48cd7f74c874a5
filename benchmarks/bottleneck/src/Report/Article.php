<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Stage;

/**
 * What the article gives of a stage, of other servers and of another application.
 */
final readonly class Article
{
    public const NAME = 'the article, other servers';

    // It gives the last two once, behind both persistent connections and files.
    private const FIGURES = [
        Stage::Baseline->value => [0.5051, 9_929],
        Stage::Keepalive->value => [0.8486, 566],
        Stage::Limits->value => [0.4867, 7_917],
        Stage::Cpus->value => [0.1527, 12_350],
        Stage::Files->value => [0.0003, 3_730],
        Stage::Persistent->value => [0.0003, 3_730],
    ];

    public const NOTE = 'The article gives no figures for its updated packages, asked 7,000 times where the limits are'
        .' larger and about 6,000 times with eight cores for two, and gives 0.03 % and 3,730 ms once:'
        .' behind both persistent connections and files, so that they stand at both here. Its users were not given up'
        .' after 8 s, only counted as failed.';

    /** @return ?float a share; null where it gives none */
    public static function errors(Stage $stage): ?float
    {
        return self::FIGURES[$stage->value][0] ?? null;
    }

    /** @return ?int milliseconds; null where it gives none */
    public static function mean(Stage $stage): ?int
    {
        return self::FIGURES[$stage->value][1] ?? null;
    }
}
