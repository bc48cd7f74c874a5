<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Status\JsonFields;
use Headroom\Host\Fpm\Address;

/**
 * The applications in the opcache of a pool, or in the document roots that nginx sends to it.
 *
 * @internal
 */
final readonly class ApplicationRoots
{
    /**
     * @param list<ApplicationRoot> $roots existing directories that the pool can see
     * @param list<string> $gone missing paths, of old releases
     * @param ?string $unread the reason why opcache is unreadable
     */
    private function __construct(public array $roots, public array $gone, public ?string $unread) {}

    /** @throws FactUnavailable */
    public static function fromProbe(string $json, Address $address): self
    {
        $values = json_decode($json, true);
        $fields = new JsonFields(is_array($values) ? $values : throw UnreadableRuntime::garbage($address, $json));
        $prepended = $fields->text('prepended') ?? '';
        $roots = [];
        $gone = [];

        foreach ($fields->objects('roots') as $root) {
            $path = $root->text('path') ?? '';
            $hasEntry = $root->truth('entry') === true;

            if ($root->truth('gone') === true) {
                $gone[] = $path;
            } elseif ($root->truth('code') !== true) {
                // Packages that an application loads from another directory.
                continue;
            } elseif ($hasEntry || $prepended === '' || ! str_starts_with($prepended, "{$path}/")) {
                // The directory of auto_prepend_file, such as a profiler, is part of each application.
                $roots[] = new ApplicationRoot(
                    $path,
                    $root->text('real'),
                    $root->text('vendor'),
                    $root->text('state'),
                    self::source($root->text('how') ?? '', $address),
                    $hasEntry,
                );
            }
        }

        return new self(
            $roots,
            $gone,
            $fields->truth('read') === true
                ? null
                : ($fields->count('scripts') === null
                    ? 'it does not report its files'
                    : "it has {$fields->count('scripts')} files, which are too many to inspect"),
        );
    }

    private static function source(string $how, Address $address): string
    {
        return match ($how) {
            'opcache' => "opcache of the pool at {$address->text()}",
            'preloaded' => "what the pool at {$address->text()} has preloaded",
            default => "nginx, which sends what is below {$how} to {$address->text()}",
        };
    }
}
