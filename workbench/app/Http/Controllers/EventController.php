<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Headroom\Laravel\Facades\Buffer;
use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\DB;
use Workbench\App\Http\Requests\StoreBinaryEvent;
use Workbench\App\Http\Requests\StoreEvent;
use Workbench\App\Models\PageView;
use Workbench\App\Models\PageViewBinary;

/**
 * The same event taken in several ways: from outside the endpoints look alike.
 */
final class EventController
{
    public function none(StoreEvent $request): JsonResponse
    {
        $request->row();

        return $this->accepted();
    }

    public function sync(StoreEvent $request): JsonResponse
    {
        DB::table('page_views')->insert($request->row()->columns);

        return $this->accepted();
    }

    public function buffered(StoreEvent $request): JsonResponse
    {
        Buffer::bucket('page-views')->add($request->row()->columns);

        return $this->accepted();
    }

    public function bufferedBinary(StoreBinaryEvent $request): JsonResponse
    {
        Buffer::bucket('page-views-binary')->add($request->row()->columns);

        return $this->accepted();
    }

    public function count(): JsonResponse
    {
        return new JsonResponse([
            'page_views' => PageView::query()->count(),
            'page_views_binary' => PageViewBinary::query()->count(),
        ]);
    }

    private function accepted(): JsonResponse
    {
        return new JsonResponse(['accepted' => true], 202);
    }
}
