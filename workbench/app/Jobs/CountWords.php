<?php

declare(strict_types=1);

namespace Workbench\App\Jobs;

use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Support\Facades\Cache;

/**
 * Leaves its result in the cache of this process.
 */
final class CountWords implements ShouldQueue
{
    use Queueable;

    public const RESULT = 'words';

    public function __construct(private readonly string $text) {}

    public function handle(): void
    {
        Cache::store('array')->put(self::RESULT, str_word_count($this->text));
    }
}
