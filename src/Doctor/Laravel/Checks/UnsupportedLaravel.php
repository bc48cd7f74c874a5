<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Versions\EndOfLifeAssessment;

/**
 * @internal
 */
final readonly class UnsupportedLaravel implements Check
{
    public function examine(Facts $facts): iterable
    {
        $version = $facts->get(Application::class)->version;
        $seen = new Evidence('Laravel', $version, 'artisan --version');

        return [
            (new EndOfLifeAssessment('laravel', 'Laravel'))->of($version, $seen, static fn (): null => null, $facts),
        ];
    }
}
