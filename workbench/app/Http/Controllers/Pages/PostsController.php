<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Carbon\CarbonImmutable;
use Carbon\CarbonInterface;
use Illuminate\Contracts\View\View;
use Illuminate\Support\Facades\App;
use Workbench\App\Models\Post;

/**
 * A blog's first page in German: rows, relations, pages, dates in words and translated texts. The dates are told from a
 * day that stays, so that the page is the same whenever it is asked for.
 */
final class PostsController
{
    private const TODAY = '2026-01-01 12:00:00';

    private const PER_PAGE = 5;

    public function __invoke(): View
    {
        App::setLocale('de');

        return view('pages.posts', [
            'locale' => App::getLocale(),
            'today' => CarbonImmutable::parse(self::TODAY),
            'syntax' => ['syntax' => CarbonInterface::DIFF_RELATIVE_TO_NOW, 'parts' => 2, 'join' => true],
            'posts' => Post::query()
                ->with('comments')
                ->withCount('comments')
                ->whereNotNull('published_at')
                ->orderByDesc('published_at')
                ->orderBy('id')
                ->paginate(self::PER_PAGE),
        ]);
    }
}
