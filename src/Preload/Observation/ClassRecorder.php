<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;

/**
 * Sees which classes a request to a private PHP-FPM uses, of any PHP application, from outside of it.
 *
 * A script that PHP runs before the application's opens a file and locks it; shutdown functions write into it. The lock
 * ends with the request, however that ends, so whoever holds it after that has all there is. The file is opened at once
 * since the application may set open_basedir later.
 *
 * @internal
 */
final readonly class ClassRecorder
{
    /** The FastCGI parameter that numbers a page. A request without it is not watched. */
    public const PARAMETER = 'HEADROOM_PAGE';

    private const POLL_MICROS = 2_000;

    private function __construct(
        private string $directory,
        public string $script,
        private EffectiveUser $rights,
        private Clock $clock,
    ) {}

    /**
     * @param string $prepended what auto_prepend_file was without us; '' for nothing
     *
     * @throws UnableToObserve
     */
    public static function in(
        TemporaryDirectory $directory,
        string $prepended = '',
        Clock $clock = new SystemClock,
    ): self {
        try {
            $script = $directory->write('watch.php', RecorderScript::text($directory->work, $prepended));
        } catch (UnableToStart $e) {
            throw UnableToObserve::notWritten($directory->file('watch.php'), $e->getMessage());
        }

        // Workers write to their folder, and may put there what they like.
        return new self($directory->work, $script, EffectiveUser::in($directory->work), $clock);
    }

    /** @return array<string, string> for the PHP-FPM: with a preload all would be used */
    public function ini(): array
    {
        return ['auto_prepend_file' => $this->script, 'opcache.preload' => ''];
    }

    /** @return array<string, string> for the request */
    public function parameters(int $page): array
    {
        return [self::PARAMETER => (string) $page];
    }

    /**
     * Waits for the end of the requests, since many applications work on after the answer.
     *
     * @return list<string> used by any request of this number
     *
     * @throws UnableToObserve
     */
    public function classesOf(int $page, int $seconds = 30): array
    {
        $files = $this->filesOf($page);
        $until = $this->clock->monotonicNanos() + $seconds * 1_000_000_000;
        $classes = [];

        foreach ($files === [] ? throw UnableToObserve::notWatched($page, $this->directory) : $files as $path) {
            $text = $this->ended($path, $until) ?? throw UnableToObserve::unfinished($page, $seconds);
            $names = json_decode($text, true);

            foreach (is_array($names) ? $names : throw UnableToObserve::cutShort($page) as $name) {
                $classes[(string) base64_decode(is_string($name) ? $name : '', true)] = true;
            }
        }

        ksort($classes);

        return array_keys($classes);
    }

    /** @return ?string what is in the file once its request is over; null when that takes too long */
    private function ended(string $path, int $until): ?string
    {
        $reason = '';
        // 'n': of a pipe nothing would ever come.
        $file = FileOperation::run(fn () => $this->rights->during(static fn () => fopen($path, 'ren')), $reason);

        if ($file === false || ((fstat($file)['mode'] ?? 0) & 0o170000) !== 0o100000) {
            throw UnableToObserve::notRead($path, $file === false ? $reason : 'it is no file');
        }

        try {
            while (! flock($file, LOCK_SH | LOCK_NB)) {
                if ($this->clock->monotonicNanos() > $until) {
                    return null;
                }

                $this->clock->sleep(self::POLL_MICROS);
            }

            return (string) stream_get_contents($file);
        } finally {
            fclose($file);
        }
    }

    /** @return list<string> */
    private function filesOf(int $page): array
    {
        $files = [];
        $names = FileOperation::run(fn () => $this->rights->during(fn () => scandir($this->directory)));

        foreach ($names === false ? [] : $names as $name) {
            if (str_starts_with($name, "page-{$page}-")) {
                $files[] = "{$this->directory}/{$name}";
            }
        }

        return $files;
    }
}
