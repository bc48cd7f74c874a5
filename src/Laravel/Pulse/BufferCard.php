<?php

declare(strict_types=1);

namespace Headroom\Laravel\Pulse;

use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Routing\UrlGenerator;
use Illuminate\Contracts\View\Factory;
use Illuminate\Contracts\View\View;
use Laravel\Pulse\Livewire\Card;

/**
 * The card of Laravel Pulse for the buckets of this machine: `<livewire:headroom.buffer cols="6" />`. The gate of Pulse
 * decides which users see it.
 *
 * @internal
 */
final class BufferCard extends Card
{
    /** Under this name, a page of Pulse shows the card. */
    public const NAME = 'headroom.buffer';

    private const VIEW = __DIR__.'/../../../resources/views/pulse-card.blade.php';

    public function render(SpoolServices $spool, Factory $views, Repository $config, UrlGenerator $url): View
    {
        return $views->file(self::VIEW, [
            'status' => $spool->statusWithoutSql(),
        ]);
    }
}
