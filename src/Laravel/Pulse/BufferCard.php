<?php

declare(strict_types=1);

namespace Headroom\Laravel\Pulse;

use Headroom\Core\HeadroomException;
use Headroom\Laravel\Http\Dashboard\DashboardSettings;
use Headroom\Laravel\Http\Dashboard\Data\NowCache;
use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Routing\UrlGenerator;
use Illuminate\Contracts\View\Factory;
use Illuminate\Contracts\View\View;
use Laravel\Pulse\Livewire\Card;

/**
 * The card of Laravel Pulse with the buckets of this machine: `<livewire:headroom.buffer cols="6" />`. Pulse decides
 * which users see it.
 *
 * @internal
 */
final class BufferCard extends Card
{
    private const VIEW = __DIR__.'/../../../resources/views/pulse-card.blade.php';

    public function render(Application $app, Factory $views): View
    {
        try {
            $now = PhpRestrictions::within(static fn (): mixed => json_decode(
                NowCache::of($app, $app->make(SpoolServices::class)),
                true,
                flags: JSON_THROW_ON_ERROR,
            ));
            $data = ['now' => $now, 'failure' => null, 'dashboard' => $this->dashboard($app)];
        } catch (HeadroomException $e) {
            $failure = Sentences::withCommands("{$e->getMessage()} See `spool:health`.");
            $data = ['now' => null, 'failure' => $failure, 'dashboard' => null];
        }

        return $views->file(self::VIEW, $data);
    }

    /** The address of the dashboard; null when it is off. */
    private function dashboard(Application $app): ?string
    {
        $settings = (array) $app->make(Repository::class)->get('headroom.dashboard', []);

        return in_array($settings['enabled'] ?? true, [false, 0, '0', ''], true)
            ? null
            : $app->make(UrlGenerator::class)->to(DashboardSettings::fromArray($settings)->path);
    }
}
