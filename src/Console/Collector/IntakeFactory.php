<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Intake\Intake;
use Headroom\Collector\Intake\IntakeSettings;
use Headroom\Collector\Taker;
use Headroom\Spool\Services\SpoolServices;

/**
 * @internal
 */
final readonly class IntakeFactory
{
    public static function of(CollectorConfig $config, SpoolServices $spool): Taker
    {
        $settings = IntakeSettings::fromOptions($config->intake());
        $spool->settings()->refuseFilters($settings->buckets());
        $intake = Intake::below(
            $spool->config()->path,
            $settings,
            $spool->clock(),
            $spool->config()->directoryMode(),
            $spool->config()->fileMode(),
        );

        return new Taker($intake->decide(...), $intake->notAppended(...), $settings->buckets());
    }
}
