<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Versions\EndOfSupport;

/**
 * @internal
 */
final readonly class UnsupportedLaravel implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L22',
            'This version of Laravel gets no security fixes any more',
            Severity::Medium,
            Layer::Laravel,
            'The maker publishes no more fixes for this version, so a fault that becomes known stays open.',
            'The release of Laravel is past its end of support.',
            EndOfSupport::sources('laravel'),
            480,
        );
    }

    public function examine(Facts $facts): array
    {
        $version = $facts->get(Application::class)->version;
        $seen = new Evidence('Laravel', $version, 'php artisan --version');

        $support = new EndOfSupport('laravel', 'Laravel', 'L22');

        return [$support->of($version, $seen, static fn (): null => null, $facts)];
    }
}
