<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Doctor\CustomCheck;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;

/**
 * The checks that config/headroom.php lists, made by the application's container.
 *
 * @internal
 */
final readonly class CustomChecks
{
    private const KEY = 'headroom.doctor.checks';

    /** Ids of the package have one letter, so they never conflict with these. */
    private const ID = '/\A[A-Z]{2}[A-Z0-9-]*\z/';

    public function __construct(private Application $app) {}

    /** @throws InvalidConfig */
    public function addTo(CheckList $checks): CheckList
    {
        $classes = $this->app->make(Repository::class)->get(self::KEY, []);

        foreach (is_array($classes) ? $classes : throw InvalidConfig::notAllowed(
            self::KEY,
            $classes,
            'a list of class names',
        ) as $place => $class) {
            $check = is_string($class) && is_subclass_of($class, CustomCheck::class) ? $this->app->make($class) : null;

            if (! $check instanceof CustomCheck) {
                throw InvalidConfig::notAllowed(
                    self::KEY.".{$place}",
                    $class,
                    'the name of a class that implements '.CustomCheck::class,
                );
            }

            $text = $check->text();

            if (preg_match(self::ID, $text->id) !== 1 || $checks->has($text->id)) {
                throw InvalidConfig::notAllowed(
                    "The id of {$text->title}",
                    $text->id,
                    'an id of this check only: two or more capital letters, then letters, digits or -, such as APP1',
                );
            }

            $checks = $checks->with($text->id, $check, $text);
        }

        return $checks;
    }
}
