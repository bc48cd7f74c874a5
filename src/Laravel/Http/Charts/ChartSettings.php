<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Charts;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The section `charts` of config/headroom.php.
 *
 * @internal
 */
final readonly class ChartSettings
{
    private const KEYS = ['enabled', 'path', 'middleware', 'bucket', 'actions'];

    /**
     * @param list<string> $middleware
     * @param list<string> $actions prefixes of the types of end-user actions
     */
    private function __construct(
        public string $path,
        public array $middleware,
        public string $bucket,
        public array $actions,
    ) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $options = (new ConfigReader($config, 'headroom.charts'))->only(self::KEYS);
        $path = trim($options->string('path', 'headroom/events'), '/');

        return new self(
            preg_match('~\A[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*\z~', $path) === 1
                ? $path
                : throw InvalidConfig::notAllowed('headroom.charts.path', $path, 'a path such as headroom/events'),
            $options->names('middleware') ?? ['web'],
            $options->string('bucket', 'events'),
            $options->names('actions') ?? [],
        );
    }
}
