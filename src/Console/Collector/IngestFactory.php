<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Ingest\IngestPipeline;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\RequestHandler;
use Headroom\Spool\Services\SpoolServices;

/**
 * @internal
 */
final readonly class IngestFactory
{
    public static function of(CollectorConfig $config, SpoolServices $spool): RequestHandler
    {
        $settings = IngestSettings::fromOptions($config->intake());
        $spool->settings()->refuseFilters($settings->buckets());

        return IngestPipeline::below(
            $spool->config()->path,
            $settings,
            $spool->clock(),
            $spool->config()->directoryMode(),
            $spool->config()->fileMode(),
        );
    }
}
