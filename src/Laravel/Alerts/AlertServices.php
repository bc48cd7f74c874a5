<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Closure;
use Headroom\Console\CurrentProgram;
use Headroom\Spool\Alerts\AlertFile;
use Headroom\Spool\Alerts\AlertLog;
use Headroom\Spool\Alerts\AlertRules;
use Headroom\Spool\Alerts\AlertWatch;
use Headroom\Spool\Events\AlertsRaised;
use Headroom\Spool\Events\AlertsResolved;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Notifications\Dispatcher;
use Illuminate\Http\Client\Factory;
use Illuminate\Notifications\AnonymousNotifiable;
use Throwable;

/**
 * Builds the parts of the alerts from the configuration of the application.
 *
 * @internal
 */
final readonly class AlertServices
{
    public function __construct(private Application $app, private SpoolServices $spool) {}

    /** @return ?list<string> the command line of the check; null if no receiver is configured */
    public static function command(Application $app): ?array
    {
        return (new self($app, $app->make(SpoolServices::class)))->isUsed()
            ? [...CurrentProgram::command($app->basePath('artisan')), 'headroom:notify', '--scheduled']
            : null;
    }

    /** Whether there is a receiver or a listener. It checks no setting. */
    public function isUsed(): bool
    {
        return AlertSettings::hasReceiver($this->config()) || $this->hasListeners();
    }

    public function file(): AlertFile
    {
        $config = $this->spool->config();

        return new AlertFile($config->path, Permissions::of($config), $this->spool->clock());
    }

    /** @throws InvalidConfig */
    public function check(): AlertCheck
    {
        $settings = AlertSettings::fromArray($this->config());
        $listeners = $this->hasListeners() ? [new EventChannel($this->spool->notifier())] : [];

        return new AlertCheck(
            new AlertWatch($this->spool, new AlertRules($this->spool, $settings->after)),
            $this->file(),
            [...$listeners, ...$this->ofSettings($settings)],
            $this->sender(),
            $this->log(),
            $this->spool->clock(),
        );
    }

    /**
     * Without the listeners: a test raises no alert.
     *
     * @return list<AlertDelivery>
     *
     * @throws InvalidConfig
     */
    public function test(): array
    {
        return array_map(
            $this->sender()->test(...),
            $this->ofSettings(AlertSettings::fromArray($this->config())),
        );
    }

    private function log(): AlertLog
    {
        return new AlertLog($this->spool->logger(...), $this->spool->clock());
    }

    /** The scheduler discards the output of a check. */
    public function logFailure(Throwable $failure): void
    {
        AlertCheck::logFailure($this->file(), $this->log(), $failure);
    }

    private function sender(): AlertSender
    {
        return new AlertSender($this->application());
    }

    /** @return list<AlertChannel> */
    private function ofSettings(AlertSettings $settings): array
    {
        $channels = $settings->slack === null
            ? []
            : [new SlackChannel($this->app->make(Factory::class), $settings->slack)];

        if ($settings->mail !== []) {
            $channels[] = $this->notifications(
                'mail',
                static fn (): AnonymousNotifiable => (new AnonymousNotifiable)->route('mail', $settings->mail),
            );
        }

        if ($settings->notifiable !== null) {
            $name = $settings->notifiable;
            $channels[] = $this->notifications('notifiable', fn (): mixed => $this->app->make($name));
        }

        return $channels;
    }

    /** @param Closure(): mixed $notifiable */
    private function notifications(string $name, Closure $notifiable): NotificationChannel
    {
        return new NotificationChannel(
            $name,
            fn (): Dispatcher => $this->app->make(Dispatcher::class),
            $notifiable,
            fn (AlertMessage $message): AlertNotification
                => $this->app->make(AlertNotification::class, ['message' => $message]),
        );
    }

    private function hasListeners(): bool
    {
        $notifier = $this->spool->notifier();

        return $notifier->listens(AlertsRaised::class) || $notifier->listens(AlertsResolved::class);
    }

    /** @return array<array-key, mixed> */
    private function config(): array
    {
        return (array) $this->app->make(Repository::class)->get('headroom.notify', []);
    }

    private function application(): string
    {
        $name = $this->app->make(Repository::class)->get('app.name');

        return trim((is_string($name) ? $name : 'Laravel').' '.$this->app->environment());
    }
}
