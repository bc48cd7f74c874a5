<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\Preload\Application as Subject;
use Headroom\Console\Preload\BenchCommand;
use Headroom\Console\Preload\GenerateCommand;
use Headroom\Console\Preload\PreloadStatusCommand;
use Headroom\Console\Preload\SharedPools;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Preload\PreloadSettings;
use Headroom\Preload\Page;
use Headroom\Support\PhpRestrictions;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Routing\Router;
use Symfony\Component\Console\Command\Command;

/**
 * The commands of preloading under their names in artisan, with what only the application knows.
 *
 * @internal
 */
final readonly class PreloadCommands
{
    public function __construct(private Application $app) {}

    /** @return list<Command> */
    public function all(): array
    {
        $real = PhpRestrictions::call('realpath', $this->app->basePath());
        $subject = new Subject(
            is_string($real) ? $real : $this->app->basePath(),
            fn (): array => PreloadSettings::of($this->app),
            $this->routes(...),
        );
        $facts = (new DoctorCommands($this->app))->facts(...);
        $commands = [new GenerateCommand($subject, new SharedPools($facts), new SystemClock), new PreloadStatusCommand($subject, $facts), new BenchCommand($subject, new SystemClock)];

        foreach ($commands as $command) {
            $command->setName("headroom:{$command->getName()}");
        }

        return $commands;
    }

    /** @return list<Page> */
    private function routes(): array
    {
        $pages = [];

        foreach ($this->app->make(Router::class)->getRoutes()->getRoutes() as $route) {
            if (in_array('GET', $route->methods(), true) && $route->getDomain() === null && preg_match('/\{[^}?]+\}/', $route->uri()) === 0) {
                // An optional parameter is left out.
                $path = '/'.trim((string) preg_replace('#/?\{[^}]*\?\}#', '', $route->uri()), '/');
                $pages[$path] = new Page('GET', $path);
            }
        }

        return array_values($pages);
    }
}
