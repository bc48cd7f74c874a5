<?php

declare(strict_types=1);

namespace Headroom\Preload;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The settings of config/headroom.php below `preload`, read once.
 *
 * @internal
 */
final readonly class PreloadConfig
{
    public const KEYS = [
        'sample', 'samples', 'strategy', 'mode', 'share', 'paths', 'ignore', 'budget_mb', 'file', 'front', 'url',
    ];

    private const FILE = 'bootstrap/cache/preload.php';

    /**
     * @param int<0, max> $sample one in this many requests is sampled; 0 for none
     * @param string $samples directory of the samples, absolute
     * @param float $share a class is hot if at least this share of the observed requests used it, 0 to 1
     * @param list<string> $paths directories and files, relative to the root, whose classes every list requests
     * @param list<string> $ignore never preloaded: directories and files relative to the root, namespaces and classes
     * @param int $budgetBytes of shared memory that the list may use
     * @param string $file path of the script, relative to the root
     * @param string $front the front controller, relative to the root
     * @param string $url scheme and host of the requests to pages
     */
    private function __construct(
        public int $sample,
        public string $samples,
        public Strategy $strategy,
        public Mode $mode,
        public float $share,
        public array $paths,
        public array $ignore,
        public int $budgetBytes,
        public string $file,
        public string $front,
        public string $url,
    ) {}

    /**
     * @param array<array-key, mixed> $values
     * @param string $root of the application, absolute
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $values, string $root): self
    {
        $options = (new ConfigReader($values, 'headroom.preload'))->filled()->only(self::KEYS);
        $file = $options->string('file', self::FILE);
        $samples = $options->string('samples', 'storage/framework/headroom-preload');

        return new self(
            $options->int('sample', 0, 1_000_000_000, 0),
            str_starts_with($samples, '/') ? $samples : "{$root}/{$samples}",
            Strategy::from($options->oneOf('strategy', array_column(Strategy::cases(), 'value'), Strategy::Hot->value)),
            Mode::from($options->oneOf('mode', array_column(Mode::cases(), 'value'), Mode::Compile->value)),
            self::share($options->any('share', '0.05')),
            self::paths($options->names('paths') ?? []),
            $options->names('ignore') ?? [],
            $options->int('budget_mb', 1, 4096, 32) * 1_048_576,
            self::isBelow($file)
                ? $file
                : throw InvalidConfig::notAllowed(
                    'headroom.preload.file',
                    $file,
                    'a file below the root of the application, relative to it, such as '.self::FILE
                        .', because the script derives the root from its own path',
                ),
            $options->string('front', 'public/index.php'),
            self::url($options->string('url', 'http://localhost')),
        );
    }

    /**
     * @param list<string> $paths
     * @return list<string>
     */
    private static function paths(array $paths): array
    {
        foreach ($paths as $path) {
            if (str_starts_with($path, '/') || in_array('..', explode('/', $path), true)) {
                throw InvalidConfig::notAllowed(
                    'headroom.preload.paths',
                    $path,
                    'directories and files below the root of the application, relative to it, such as app/Domain',
                );
            }
        }

        return $paths;
    }

    private static function share(mixed $value): float
    {
        return is_numeric($value) && $value >= 0 && $value <= 1
            ? (float) $value
            : throw InvalidConfig::notAllowed('headroom.preload.share', $value, 'a number from 0 to 1, such as 0.05');
    }

    private static function url(string $url): string
    {
        return preg_match('#\Ahttps?://[^/?\#]+#i', $url, $m) === 1
            ? $m[0]
            : throw InvalidConfig::notAllowed(
                'headroom.preload.url',
                $url,
                'scheme and host, such as https://example.com',
            );
    }

    /** With the values of command-line options. */
    public function with(?Strategy $strategy, ?Mode $mode, ?string $file = null): self
    {
        return new self(
            $this->sample,
            $this->samples,
            $strategy ?? $this->strategy,
            $mode ?? $this->mode,
            $this->share,
            $this->paths,
            $this->ignore,
            $this->budgetBytes,
            $file ?? $this->file,
            $this->front,
            $this->url,
        );
    }

    private static function isBelow(string $file): bool
    {
        return ! str_starts_with($file, '/')
            && str_ends_with($file, '.php')
            && array_intersect(explode('/', $file), ['', '.', '..']) === [];
    }
}
