<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * A function and the file from which it is called: what a frame is but for the line.
 *
 * @internal
 */
final readonly class CallSite
{
    /** FPM prints this for what PHP itself calls: a handler at the end of the request, say. */
    public const UNKNOWN = 'unknown';

    private const VENDOR = '/vendor/';

    private const FRAMEWORK = 'laravel/framework/src/';

    public bool $isVendor;

    public ?WaitReason $wait;

    /** The same where nothing else was called from it. */
    public ?WaitReason $innermost;

    public ?WaitPurpose $purpose;

    public ?string $client;

    private string $path;

    /** @param string $function without its class, which FPM does not print */
    public function __construct(public string $function, public string $file)
    {
        $this->isVendor = str_contains($file, self::VENDOR);
        $this->wait = FrameClassifier::wait($function, $file);
        $this->innermost = FrameClassifier::innermost($function);
        $this->purpose = FrameClassifier::purpose($function, $file);
        $this->client = FrameClassifier::client($file);
        $this->path = self::path($file);
    }

    public function isUnknown(): bool
    {
        return $this->file === self::UNKNOWN;
    }

    /**
     * Whether the called code belongs to another part than the caller: a callback, such as each step of a pipeline.
     */
    public function isCallback(): bool
    {
        return str_contains($this->function, '{closure')
            || str_ends_with($this->file, '/Illuminate/Pipeline/Pipeline.php');
    }

    /**
     * The same in each release and on each server: below vendor/, or below the application.
     *
     * @param string $root where the application's files begin, with a slash at its end; empty if it is not known
     */
    public function place(string $root): string
    {
        return $this->function.'() '
            .(! $this->isVendor && $root !== '' && str_starts_with($this->path, $root)
                ? substr($this->path, strlen($root))
                : $this->path);
    }

    private static function path(string $file): string
    {
        $vendor = strrpos($file, self::VENDOR);

        if ($vendor === false) {
            return preg_match('~/releases/[^/]+/(.+)\z~s', $file, $m) === 1 ? $m[1] : $file;
        }

        $path = substr($file, $vendor + strlen(self::VENDOR));

        return str_starts_with($path, self::FRAMEWORK) ? substr($path, strlen(self::FRAMEWORK)) : $path;
    }
}
