<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Http\Dashboard\DashboardSettings;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Contracts\Config\Repository;

/**
 * Which values of a bucket's events the page shows.
 *
 * @internal
 */
final readonly class ShownEvents
{
    public function __construct(private SpoolServices $spool, private Repository $config) {}

    public function values(string $bucket): EventValues
    {
        $settings = DashboardSettings::fromArray((array) $this->config->get('headroom.dashboard', []));
        $own = $this->spool->settings()->redaction($bucket);

        return new EventValues($own === null ? [$settings->redaction] : [$settings->redaction, $own], $bucket);
    }

    public function row(string $bucket): DeadLetterRow
    {
        return new DeadLetterRow(
            $bucket,
            new Codec($this->spool->config()->bucket($bucket)?->utf8),
            $this->values($bucket),
        );
    }
}
