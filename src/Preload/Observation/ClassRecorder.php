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
 * Records which classes a request to a private PHP-FPM uses. The application needs no change.
 *
 * PHP runs a script before that of the application. It opens and locks a file, and shutdown functions write the classes
 * into it. PHP releases the lock when the request ends, however it ends, so a reader that gets the lock reads the whole
 * record. The file is opened first because the application may set open_basedir later.
 *
 * @internal
 */
final readonly class ClassRecorder
{
    /** The FastCGI parameter with the number of the page. A request without it is not recorded. */
    public const PARAMETER = 'HEADROOM_PAGE';

    private const POLL_MICROS = 2_000;

    private function __construct(
        private string $directory,
        public string $script,
        private EffectiveUser $rights,
        private Clock $clock,
    ) {}

    /**
     * @param string $prepended the auto_prepend_file of php.ini; '' for none
     *
     * @throws UnableToObserve
     */
    public static function in(
        TemporaryDirectory $directory,
        string $prepended = '',
        Clock $clock = new SystemClock,
    ): self {
        try {
            $script = $directory->write('recorder.php', RecorderScript::text($directory->work, $prepended));
        } catch (UnableToStart $e) {
            throw UnableToObserve::notWritten($directory->file('recorder.php'), $e->getMessage());
        }

        // The workers write into their directory, and may also put links there.
        return new self($directory->work, $script, EffectiveUser::in($directory->work), $clock);
    }

    /** @return array<string, string> settings of the PHP-FPM: with preloading, each class would count as used */
    public function ini(): array
    {
        return ['auto_prepend_file' => $this->script, 'opcache.preload' => ''];
    }

    /** @return array<string, string> parameters of the request */
    public function parameters(int $page): array
    {
        return [self::PARAMETER => (string) $page];
    }

    /**
     * Waits until the requests have ended, because many applications continue to work after the answer.
     *
     * @return list<string> classes that any request with this number used
     *
     * @throws UnableToObserve
     */
    public function classesOf(int $page, int $seconds = 30): array
    {
        $files = $this->filesOf($page);
        $until = $this->clock->monotonicNanos() + $seconds * 1_000_000_000;
        $classes = [];

        foreach ($files === [] ? throw UnableToObserve::notRecorded($page, $this->directory) : $files as $path) {
            $text = $this->textAfterEnd($path, $until) ?? throw UnableToObserve::unfinished($page, $seconds);
            $names = json_decode($text, true);

            foreach (is_array($names) ? $names : throw UnableToObserve::cutShort($page) as $name) {
                $classes[(string) base64_decode(is_string($name) ? $name : '', true)] = true;
            }
        }

        ksort($classes);

        return array_keys($classes);
    }

    /** @return ?string the content of the file after its request has ended; null if that takes too long */
    private function textAfterEnd(string $path, int $until): ?string
    {
        $reason = '';
        // 'n': a read from a pipe would block forever.
        $file = FileOperation::run(fn () => $this->rights->during(static fn () => fopen($path, 'ren')), $reason);

        if ($file === false || ((fstat($file)['mode'] ?? 0) & 0o170000) !== 0o100000) {
            throw UnableToObserve::notRead($path, $file === false ? $reason : 'it is not a regular file');
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
